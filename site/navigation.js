// The pages by intent. A page that is not there yet is left out, and the build says so.
import { address, pages, read } from './repository.js'

const groups = {
    Start: {
        'What it is': 'README',
        Install: 'install',
        'Ten settings first': 'settings-first',
        'All settings': 'configuration',
        Examples: 'examples/README',
        'sendmail and mailq': 'sendmail',
    },
    'On the Internet': {
        'DNS and certificates': 'internet',
        Cookbook: 'cookbook',
        'Addresses and domains': 'addresses',
        'With Dovecot': 'dovecot',
        'With Rspamd': 'rspamd',
        'Coming from Postfix': 'from-postfix',
        'What is refused': 'security',
    },
    Operate: {
        'The console': 'console',
        Observe: 'observing',
        'Metrics, health, alarms': 'metrics',
        'Why is it still queued?': 'explain',
        'What happened to it?': 'trace',
        'Events for programs': 'events',
        'Mail by HTTP': 'injection',
        'Mail for programs': 'pipe',
        Orders: 'operating',
        Reload: 'reload',
        Log: 'logging',
        'Single destinations': 'destinations',
        Providers: 'providers',
        'Rules from replies': 'shaping',
        'Sources': 'sources',
        Retries: 'retry',
        Reports: 'reports',
        'Daily reports': 'daily-reports',
        'Refused mail': 'bounces',
        'Complaints, unsubscribe': 'feedback',
        'What users send': 'accounts',
        Shards: 'shards',
        'Several servers': 'cluster',
        'Their database': 'cluster-database',
        'Faults of a cluster': 'cluster-faults',
        'The spool on disk': 'spool',
        'Chaos sink': 'sink',
        Reliability: 'reliability',
        Performance: 'performance',
    },
    Understand: {
        'The path of a message': 'flow',
        Architecture: 'architecture',
        'Order and concurrency': 'scheduler',
        'Theory: bounds and proofs': 'theory',
        'Hosts and connections': 'placement',
        'A day': 'day',
        'Journal and replay': 'journal',
        'A simulated world': 'world',
        'Specification in TLA+': 'specification',
        'Parts for other programs': 'libraries',
        'Simulated worlds': 'world',
        'A night of worlds': 'world-night',
    },
    Teach: {
        'The course': 'course/README',
        "For teachers": 'course/teaching',
        'Scenario files': 'scenarios',
        Studies: 'studies',
    },
    Reference: {
        Glossary: 'glossary',
        'RFC 5321, section by section': 'rfc5321',
        Changes: 'CHANGELOG',
        Contribute: 'CONTRIBUTING',
        Vulnerabilities: 'SECURITY',
    },
}

// True for a page of the navigation, written or not. A link to one that is not written yet becomes plain text.
export function isPlanned(file) {
    return Object.values(groups).some((items) => Object.values(items).some((name) => file === `docs/${name}.md`))
}

// `Start: {Install: 'install'}` becomes a group with a link to the page of docs/install.md.
export function sidebar() {
    const shown = new Set()
    const bar = Object.entries(groups).map(([text, items]) => ({
        text,
        collapsed: false,
        items: Object.entries(items).map(([label, name]) => item(label, name, shown)).filter(Boolean),
    }))
    group(bar, 'Teach').items.splice(1, 0, ...numbered('docs/course/evening-', shown))
    group(bar, 'Teach').items.push({ text: 'Slides', link: '/slides/index.html', target: '_self' },
        { text: 'Poster', link: '/slides/poster.html', target: '_self' })
    group(bar, 'Reference').items.push({ text: 'Javadoc', link: '/api/index.html', target: '_self' },
        { text: 'Decisions', collapsed: true, items: numbered('docs/adr/', shown) })
    pages.filter((page) => page.startsWith('docs/') && !shown.has(page))
        .forEach((page) => say(`${page} is missing in site/navigation.js`))
    return bar
}

// The groups again, as a menu at the top.
export function menu() {
    return sidebar().map(({ text, items }) => ({ text, items: items.filter((each) => each.link) }))
}

function group(bar, text) {
    return bar.find((each) => each.text === text)
}

function item(text, name, shown) {
    const page = [`${name}.md`, `docs/${name}.md`].find((file) => pages.includes(file))
    if (!page) return say(`docs/${name}.md is not written yet, so the navigation leaves it out`)
    shown.add(page)
    return { text, link: link(page) }
}

function numbered(prefix, shown) {
    return pages.filter((page) => page.startsWith(prefix)).sort().map((page) => {
        shown.add(page)
        return { text: title(page), link: link(page) }
    })
}

function link(page) {
    return `/${address(page).replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`
}

function title(page) {
    return read(page).match(/^# (.*)$/m)[1].replace(/`/g, '')
}

const said = new Set()
function say(text) {
    if (!said.has(text)) console.warn(`site: ${text}`)
    said.add(text)
}
