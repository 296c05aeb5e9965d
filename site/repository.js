// The repository as the site sees it: which files are pages, and where a relative link of a page leads.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

// build/site copies this folder and runs the copy, in the root of the repository.
export const root = process.cwd()
export const here = path.dirname(fileURLToPath(import.meta.url))

const alone = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']

export const pages = [...alone, ...['docs', 'examples'].flatMap(files).filter((file) => file.endsWith('.md'))]

function files(folder) {
    return entries(folder).flatMap((file) => (!isFolder(file) ? [file] : path.basename(file) === 'target' ? [] : files(file)))
}

export function entries(folder) {
    return fs.readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`).sort()
}

export function isFolder(file) {
    return fs.statSync(path.join(root, file)).isDirectory()
}

export function read(file) {
    return fs.readFileSync(path.join(root, file), 'utf8')
}

// docs/flow.md is flow.md on the site, a README is the first page of its folder, and each other file has a page with its text.
// SECURITY.md and docs/security.md must not meet in one folder: some file systems take them for one.
export function address(file) {
    if (isFolder(file) && pages.includes(`${file}/README.md`)) return address(`${file}/README.md`)
    if (!pages.includes(file)) return `source/${file}.md`
    if (file !== 'README.md' && alone.includes(file)) return `project/${file}`
    return file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')
}

// What `href` in `page` leads to; undefined for another site, the Javadoc and a place in the same page.
export function target(page, href) {
    if (/^([a-z][a-z+.-]*:|\/|#)/i.test(href)) return undefined
    const [link, anchor] = href.split('#')
    const file = path.posix.join(path.posix.dirname(page), decodeURIComponent(link)).replace(/\/$/, '')
    return { file, exists: fs.existsSync(path.join(root, file)), anchor: anchor ? `#${anchor}` : '' }
}
