// The evenings of the course and the designs of the README as data, for slides and poster. A part that is missing, or has more
// text than a slide has room for, is an error that names it: a slide cannot disagree with its page, and cannot overflow.
import path from 'node:path'
import { pages, read } from './repository.js'

// Characters, or lines and columns of an output. The sizes of slides.css fit these.
export const room = { title: 60, remember: 120, goals: 5, goal: 110, alt: 120, task: 320, command: 70, columns: 120, lines: 32, essay: 640, open: 360, finders: 7 }

export function evenings() {
    return pages.filter((page) => /^docs\/course\/evening-\d+\.md$/.test(page)).sort().map((page) => evening(page, read(page)))
}

export function evening(page, text) {
    const [, number, title] = match(page, text, /^# Evening (\d+): (.*)$/m, 'headline')
    const parts = sections(text)
    const [, command, output] = match(page, part('Experiment'), /^```text\n\$ (.*)\n([^]*?)\n```$/m, 'output of an experiment')
    const [, drawn, alt, picture] = match(page, part('Experiment'), /\(`(\.\/mta [^`]*?)(?: --svg picture\.svg)?`\):\s+!\[([^\]]+)\]\(([^)]+)\)/, 'picture')
    const remember = match(page, text, /^> \*\*To remember\.\*\* ([^]*?)\n(?!>)/m, 'sentence to remember')[1].replace(/\n> /g, ' ')
    const found = {
        number: Number(number), page, title, remember, command, output, alt, drawn,
        picture: path.posix.join(path.posix.dirname(page), picture),
        goals: [...part('Goals').matchAll(/^- ([^]*?)(?=\n- |\n*$(?![^]))/gm)].map(([, goal]) => line(goal)),
        exercises: Object.keys(parts).filter((each) => each.startsWith('Exercise ')).map((each) => exercise(each, parts[each])),
        essay: paragraphs(part('Essay'))[0],
        finders: rows(part('Found by')),
        open: paragraphs(part('Still open'))[0],
    }
    checkRoom(found)
    return found

    function part(name) {
        if (!parts[name]) throw new Error(`${page} has no section ${name}`)
        return parts[name]
    }

    function exercise(heading, body) {
        const [, id, name] = match(page, heading, /^Exercise (\S+): (.*)$/, 'name of an exercise')
        return {
            id, name, task: paragraphs(body)[0],
            place: match(page, body, /^Change [^\n]*\s\[`([^`]+)`\]/m, `class of exercise ${id}`)[1],
            command: match(page, body, /^```sh\n(.*)\n```$/m, `command of exercise ${id}`)[1],
            figures: rows(body.slice(body.indexOf('| Figure'))),
        }
    }
}

// `{question, design}` of the table in the README, in its order.
export function designs() {
    const table = rows(sections(read('README.md'))['The five designs and what works today'])
    return table.filter(([, question]) => question.endsWith('?')).map(([design, question]) => ({ design, question }))
}

function checkRoom(found) {
    const check = (what, size, most) => {
        if (size > most) throw new Error(`${found.page}: ${what} has ${size}, and a slide has room for ${most}`)
    }
    check('the headline', found.title.length, room.title)
    check('the sentence to remember', found.remember.length, room.remember)
    check('the list of goals', found.goals.length, room.goals)
    found.goals.forEach((goal) => check(`the goal "${goal}"`, goal.length, room.goal))
    check('the text of the picture', found.alt.length, room.alt)
    check('a line of the output', Math.max(...found.output.split('\n').map((each) => each.length)), room.columns)
    check('the output, in lines,', found.output.split('\n').length, room.lines)
    for (const { id, task, command } of [...found.exercises, { id: 'of the experiment', task: '', command: found.command }]) {
        check(`the task of exercise ${id}`, task.length, room.task)
        check(`the command of exercise ${id}`, command.length, room.command)
    }
    check('the first paragraph of the essay', found.essay.length, room.essay)
    check('the list of finders', found.finders.length, room.finders)
    check('the open question', found.open.length, room.open)
}

function match(page, text, pattern, what) {
    const found = text.match(pattern)
    if (!found) throw new Error(`${page} has no ${what} where the slides look for it`)
    return found
}

function sections(text) {
    return Object.fromEntries(text.split(/^## /m).slice(1).map((each) => [each.slice(0, each.indexOf('\n')), each.slice(each.indexOf('\n')).trim()]))
}

function paragraphs(text) {
    return text.split(/\n{2,}/).map(line)
}

// The rows of the first table, without its head.
function rows(text) {
    const table = text.match(/(?:^\|.*\n?)+/m)?.[0] ?? ''
    return table.trim().split('\n').slice(2).map((row) => row.slice(1, row.lastIndexOf('|')).split('|').map(line))
}

// A link becomes its label.
function plain(text) {
    return text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}

function line(text) {
    return plain(text.trim().replace(/\s*\n\s*/g, ' '))
}
