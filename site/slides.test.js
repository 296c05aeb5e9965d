// node --test site/slides.test.js, in the root of the repository.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { designs, evening, evenings, room } from './evenings.js'
import { deadLinks } from './links.js'
import { read } from './repository.js'
import { poster, slides, writeSlides } from './slides.js'

const page = 'docs/course/evening-2.md'

test('each evening has its slides, in the order of the evenings', () => {
    const ids = slides(evenings()).map((each) => each.match(/id="([^"]+)"/)[1])
    const expected = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [`evening-${n}`, `picture-${n}`, `experiment-${n}`, `exercise-${n}-1`,
        `exercise-${n}-2`, `figures-${n}`, `remember-${n}`])
    assert.deepEqual(ids, ['first', ...expected])
})

test('a slide says what its page says', () => {
    const found = evening(page, read(page))
    assert.equal(found.title, 'preemption')
    assert.equal(found.command, './mta lab run ten-two-two')
    assert.match(found.output, /^sequence {2}1×4 2×2 1×4 3×2 1×2$/m)
    assert.equal(found.picture, 'docs/pictures/evening-2.svg')
    assert.equal(found.goals.length, 3)
    assert.deepEqual(found.exercises.map((each) => [each.id, each.place, each.command, each.figures]), [
        ['2-1', 'Preemption', './mta lab run docs/course/stream.toml', [['inflation of the mailing', '1.20', '1.60']]],
        ['2-2', 'SizeSearch', './mta lab run pair-and-single', [['inflation of the pair', '6.00', '9.00']]]])
})

test('all links and pictures of slides and poster are there', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'slides-'))
    try {
        writeSlides(folder)
        fs.mkdirSync(path.join(folder, 'course'))
        for (let n = 1; n <= 8; n++) fs.writeFileSync(path.join(folder, 'course', `evening-${n}.html`), '')
        assert.deepEqual(deadLinks(folder, '/'), [])
        for (const name of ['index', 'poster']) {
            const text = fs.readFileSync(path.join(folder, 'slides', `${name}.html`), 'utf8')
            assert.ok(text.length < 100_000, `${name} has ${text.length} characters`)
            assert.doesNotMatch(text, /(?:src|href)="(?:https?:)?\/\//, 'nothing comes from outside')
            assert.doesNotMatch(text, /undefined|\]\(|\*\*/, 'no rest of Markdown')
        }
    } finally {
        fs.rmSync(folder, { recursive: true })
    }
})

test('the poster has the five designs of the README', () => {
    const [text] = poster(evenings(), designs())
    assert.deepEqual([...text.matchAll(/<article><h2>([^<:]+)/g)].map(([, name]) => name), ['Postfix', 'Postfix', 'Tony Finch', 'ZMailer', 'indimail'])
    assert.equal(text.match(/<img /g).length, 6)
})

test('a text that does not fit a slide is named', () => {
    const remembered = read(page).match(/^> \*\*To remember\.\*\* ([^]*?)\n(?!>)/m)[1]
    const sentence = (length) => read(page).replace(remembered, 'x'.repeat(length))
    assert.equal(evening(page, sentence(room.remember)).remember.length, room.remember)
    assert.throws(() => evening(page, sentence(room.remember + 1)), /evening-2.md: the sentence to remember has 121, and a slide has room for 120/)
    const output = (lines, columns) => read(page).replace(/as expected \(6 expectations\)\n/, `${`${'y'.repeat(columns)}\n`.repeat(lines)}`)
    const lines = room.lines - evening(page, output(0, 0)).output.split('\n').length
    assert.equal(evening(page, output(lines, room.columns)).output.split('\n').length, room.lines)
    assert.throws(() => evening(page, output(lines + 1, 1)), /the output, in lines, has 33/)
    assert.throws(() => evening(page, output(1, room.columns + 1)), /a line of the output has 121/)
})

test('a page without a part is named', () => {
    assert.throws(() => evening(page, read(page).replace('> **To remember.**', '> Remember')), /evening-2.md has no sentence to remember/)
    assert.throws(() => evening(page, read(page).replace('## Still open', '## Open')), /evening-2.md has no section Still open/)
})

test('a text is no HTML', () => {
    const changed = evening(page, read(page).replace('# Evening 2: preemption', '# Evening 2: a<b> & "c"'))
    assert.match(slides([changed])[1], /<h1>a&lt;b&gt; &amp; &quot;c&quot;<\/h1>/)
})
