// Finds links of built pages that lead to no file or to no heading. VitePress checks files only, and only those it makes.
import fs from 'node:fs'
import path from 'node:path'

const reference = /<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g

// One sentence for each dead link in the HTML files of `site`. Those in `api` are checked by javadoc itself.
export function deadLinks(site, base) {
    const places = new Map()
    return html(site).flatMap((page) => [...new Set([...fs.readFileSync(page, 'utf8').matchAll(reference)].map(([, href]) => href))]
        .filter((href) => isDead(page, href.replaceAll('&amp;', '&')))
        .map((href) => `${path.relative(site, page)}: ${href} leads nowhere`))

    function isDead(page, href) {
        if (/^[a-z][a-z+.-]*:/i.test(href) || href === '') return false
        const [link, anchor] = href.split('#').map(decodeURIComponent)
        const file = link === '' ? page : located(page, link.replace(/\?.*/, ''))
        return file === undefined || (anchor && file.endsWith('.html') && !ids(file).has(anchor))
    }

    function located(page, link) {
        if (link.startsWith('/') && !link.startsWith(base)) return undefined
        const file = link.startsWith('/') ? path.join(site, link.slice(base.length)) : path.resolve(path.dirname(page), link)
        return [path.join(file, 'index.html'), `${file}.html`, file].find((each) => fs.existsSync(each) && fs.statSync(each).isFile())
    }

    function ids(file) {
        if (!places.has(file)) {
            places.set(file, new Set([...fs.readFileSync(file, 'utf8').matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)))
        }
        return places.get(file)
    }
}

function html(folder) {
    return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const file = path.join(folder, entry.name)
        if (entry.isDirectory()) return entry.name === 'api' ? [] : html(file)
        return file.endsWith('.html') ? [file] : []
    })
}
