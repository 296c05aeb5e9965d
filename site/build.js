// Builds the pages into target/site: node build.js
import path from 'node:path'
import { build } from 'vitepress'
import { root } from './repository.js'
import { stage } from './stage.js'

try {
    const { pages, sources } = stage()
    await build(path.join(root, 'site'))
    console.log(`site: ${pages} pages and ${sources} sources`)
} catch (error) {
    console.error(`site: ${error.message}`)
    process.exit(1)
}
