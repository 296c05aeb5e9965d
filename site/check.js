// Reports each dead link of a built site: node check.js FOLDER BASE. Exit code 1 when there is one.
import { deadLinks } from './links.js'

const [site, base] = process.argv.slice(2)
const dead = deadLinks(site, base)
dead.forEach((each) => console.error(`site: ${each}`))
if (dead.length > 0) {
    console.error(`site: ${dead.length} dead links`)
    process.exit(1)
}
