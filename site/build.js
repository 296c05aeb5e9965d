// Builds the pages into target/site: node build.js
import { build } from 'vitepress'
import { here } from './repository.js'
import { stage } from './stage.js'

try {
    const { pages, sources } = stage()
    await build(here)
    console.log(`site: ${pages} pages and ${sources} sources`)
} catch (error) {
    console.error(`site: ${error.message}`)
    process.exit(1)
}
