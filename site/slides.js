// Makes slides/index.html and slides/poster.html of the evenings: node slides.js FOLDER, or by stage.js for the site. The files
// need a browser only. A slide prints as a page of its own.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { designs, evenings } from './evenings.js'
import { here, root } from './repository.js'

const course = 'The course: eight evenings with a mail queue'
// The poster has the evening of each design of the README, in the order of that table.
const eveningOfDesign = [2, 3, 4, 5, 6]
const lifePicture = 'docs/pictures/message-life.svg'

export function writeSlides(folder) {
    const all = evenings()
    const to = path.join(folder, 'slides')
    fs.mkdirSync(to, { recursive: true })
    for (const each of [lifePicture, ...all.map((evening) => evening.picture)]) fs.copyFileSync(path.join(root, each), path.join(to, path.basename(each)))
    fs.writeFileSync(path.join(to, 'index.html'), page('Slides', 'slides.css', slides(all), script))
    fs.writeFileSync(path.join(to, 'poster.html'), page('Poster', 'poster.css', poster(all, designs())))
    return slides(all).length
}

export function slides(all) {
    return [
        slide('first', `<h1>${course.split(': ')[1]}</h1><ol class="contents">${all.map((each) => `<li><a href="#evening-${each.number}">${html(each.title)}</a></li>`).join('')}</ol>`,
            'Arrow keys go through the slides. Each slide prints as a page.'),
        ...all.flatMap(ofEvening),
    ]
}

function ofEvening(evening) {
    const { number } = evening
    const foot = (text) => `Evening ${number}: ${html(evening.title)}${text ? ` · ${text}` : ''}`
    return [
        slide(`evening-${number}`, `<p class="kicker">Evening ${number}</p><h1>${html(evening.title)}</h1>${list(evening.goals)}`,
            `<a href="../course/evening-${number}.html">the page of this evening</a>`),
        slide(`picture-${number}`, `<img src="${path.basename(evening.picture)}" alt="${html(evening.alt)}"><p class="caption">${html(evening.alt)}</p>`,
            foot(`<code>${html(evening.drawn)}</code>`)),
        slide(`experiment-${number}`, `<h2>Experiment</h2>${output(evening)}`, foot('')),
        ...evening.exercises.map((each) => slide(`exercise-${each.id}`,
            `<h2>Exercise ${each.id}: ${html(each.name)}</h2><p>${html(each.task)}</p><p>Change one line of <code>${html(each.place)}</code>, and write down the figure that you expect before you run:</p><pre class="command">${html(each.command)}</pre>`,
            foot(''))),
        slide(`figures-${number}`, `<h2>Before and after</h2><table><tr><th></th><th>Before</th><th>After</th></tr>${evening.exercises.flatMap((each) => each.figures
            .map(([figure, before, after]) => `<tr><th>${each.id}: ${html(figure)}</th><td>${html(before)}</td><td>${html(after)}</td></tr>`)).join('')}</table><p>Why? One sentence with the cause is half of the exercise.</p>`,
            foot('')),
        slide(`remember-${number}`, `<p class="remember">${html(evening.remember)}</p>${finders(evening)}<p><b>Still open.</b> ${html(evening.open)}</p>`, foot('')),
    ]
}

function slide(id, body, foot) {
    return `<section class="slide" id="${id}"><div>\n${body}\n<footer>${foot}</footer></div></section>`
}

// As large as the longest line and the number of lines permit.
function output({ command, output: text }) {
    const lines = [`$ ${command}`, ...text.split('\n')]
    const size = Math.min(2, 90 / (0.61 * Math.max(...lines.map((each) => each.length))), 41 / (1.3 * lines.length))
    return `<pre style="font-size: ${size.toFixed(2)}cqw">${html(lines.join('\n'), false)}</pre>`
}

function finders(evening) {
    return `<ul class="finders">${evening.finders.map(([name, what]) => `<li><b>${html(name)}</b>: ${html(what)}</li>`).join('')}</ul>`
}

function list(items) {
    return `<ul>${items.map((each) => `<li>${html(each)}</li>`).join('')}</ul>`
}

export function poster(all, table) {
    if (table.length !== eveningOfDesign.length) throw new Error(`README.md has ${table.length} designs, and the poster has ${eveningOfDesign.length}`)
    const cells = table.map(({ design, question }, place) => {
        const evening = all.find((each) => each.number === eveningOfDesign[place])
        return `<article><h2>${html(design)}</h2><p class="question">${html(question)}</p>
<img src="${path.basename(evening.picture)}" alt="${html(evening.alt)}"><p class="caption">${html(evening.alt)}. <code>${html(evening.drawn)}</code></p>
<p>${html(evening.essay)}</p><p class="remember">${html(evening.remember)}</p></article>`
    })
    const rest = all.filter((each) => !eveningOfDesign.includes(each.number))
    const around = all.filter((each) => !eveningOfDesign.includes(each.number))
    return [`<main><article class="title"><h1>Five designs, one mail queue</h1>
<p>Slipstream MTA unites five published designs of mail queues. Each of the five pictures is drawn by the command below it, in simulated time, with the classes of the server. The course has an evening for each design, and three for what stands around them:</p>
${list(around.map((each) => each.remember))}
<img src="${path.basename(lifePicture)}" alt="The life of a message"></article>
${cells.join('\n')}</main>`]
}

// Code and emphasis of a page stay.
function html(text, inline = true) {
    const plain = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
    return !inline ? plain : plain.replace(/`([^`]+)`/g, '<code>$1</code>')
        .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>').replace(/\*([^*]+)\*/g, '<i>$1</i>')
}

// Scrolling snaps to a slide; keys are the only thing that needs a script.
const script = `<script>
addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 }[event.key]
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    const slides = [...document.querySelectorAll('.slide')]
    const shown = slides.findIndex((each) => each.getBoundingClientRect().bottom > innerHeight / 2)
    slides[Math.min(slides.length - 1, Math.max(0, shown + step))].scrollIntoView()
})
</script>`

function page(title, style, body, tail = '') {
    return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Slipstream MTA</title>
<style>
${fs.readFileSync(path.join(here, style), 'utf8')}</style></head>
<body>
${body.join('\n')}
${tail}</body></html>
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    console.log(`site: ${writeSlides(process.argv[2] ?? 'target')} slides`)
}
