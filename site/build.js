// Builds the pages into target/site: node build.js
import { build } from 'vitepress'
import { here } from './repository.js'
import { stage } from './stage.js'

try {
    const { pages, sources, slides } = stage()
    await build(here)
    console.log(`site: ${pages} pages, ${sources} sources and ${slides} slides`)
} catch (error) {
    console.error(`site: ${error.message}`)
    process.exit(1)
}
