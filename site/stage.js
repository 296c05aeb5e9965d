// Puts the pages into a folder as VitePress wants them: each at its address, each relative link rewritten. A file that a
// page links to and that is no page gets a page with its text, so the site is complete without the repository.
import fs from 'node:fs'
import path from 'node:path'
import { isPlanned } from './navigation.js'
import { address, entries, here, isFolder, pages, read, root, target } from './repository.js'
import { writeSlides } from './slides.js'

const staged = path.join(here, 'pages')
const fence = /^(```.*?^```[^\n]*\n)/ms
const link = /(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g
const languages = { '.java': 'java', '.toml': 'toml', '.xml': 'xml', '.sh': 'sh', '.yml': 'yaml', '.yaml': 'yaml', '.diff': 'diff' }

export function stage() {
    fs.rmSync(staged, { recursive: true, force: true })
    const sources = new Set()
    for (const page of pages) write(address(page), rewrite(page, read(page), sources))
    // The pages of folders add the files in them.
    for (const file of sources) write(address(file), sourcePage(file, sources))
    return { pages: pages.length, sources: sources.size, slides: writeSlides(path.join(staged, 'public')) }
}

function write(file, text) {
    const to = path.join(staged, file)
    fs.mkdirSync(path.dirname(to), { recursive: true })
    fs.writeFileSync(to, text)
}

function rewrite(page, text, sources) {
    return text.split(fence).map((part) => (part.startsWith('```') ? part : part.replace(link, (whole, image, label, href) => {
        const linked = target(page, href)
        if (!linked) return whole
        if (!linked.exists && isPlanned(linked.file)) return label
        if (!linked.exists) throw new Error(`${page}: the link ${href} leads to no file`)
        return image ? `![${label}](${picture(linked.file)})` : `[${rewrite(page, label, sources)}](${to(linked.file, sources)}${linked.anchor})`
    }))).join('')
}

function to(file, sources) {
    if (address(file).startsWith('source/')) sources.add(file)
    return `/${address(file)}`
}

function picture(file) {
    const copy = path.join(staged, 'public', file)
    fs.mkdirSync(path.dirname(copy), { recursive: true })
    fs.copyFileSync(path.join(root, file), copy)
    return `/${file}`
}

function sourcePage(file, sources) {
    const name = path.basename(file)
    return `---\nsearch: false\naside: false\n---\n# ${name}\n\n\`${file}\`\n\n${body(file, name, sources)}\n`
}

function body(file, name, sources) {
    if (isFolder(file)) return entries(file).map((each) => `- [${path.basename(each)}](${to(each, sources)})`).join('\n')
    if (name.endsWith('.svg')) return `![${name}](${picture(file)})`
    return `\`\`\`\`\`\`${languages[path.extname(name)] ?? 'text'}\n${read(file)}\n\`\`\`\`\`\``
}
