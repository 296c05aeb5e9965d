import { defineConfig } from 'vitepress'
import { menu, sidebar } from '../navigation.js'

export default defineConfig({
    title: 'Slipstream MTA',
    description: 'A mail transfer agent in Java, with a preemptive queue manager',
    base: process.env.SITE_BASE ?? '/',
    srcDir: 'pages',
    outDir: '../site',
    cacheDir: 'cache',
    // Places in pages have the names that they have in the repository's own view.
    markdown: { anchor: { slugify: (heading) => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-') } },
    // Sources are shown whole, so some chunks are large.
    vite: { build: { chunkSizeWarningLimit: 4000 } },
    // The Javadoc is made beside this build; links.js looks for its pages.
    ignoreDeadLinks: [/^\/api\//],
    themeConfig: {
        nav: menu(),
        sidebar: sidebar(),
        outline: [2, 3],
        search: { provider: 'local' },
    },
})
