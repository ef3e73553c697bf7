// The web console in a real browser, one story for each thing it must do.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { verifies } from '../helpers/verifies.ts'
import { type ConsoleCrib, openConsoleCrib, toolCode } from './console-crib.ts'
import { launchChromium } from './find-chromium.ts'
import { type Visit, visit } from './visit.ts'

const found = await launchChromium()
if (typeof found === 'string') console.log(`skipped: tests of the web console (${found})`)

describe.skipIf(typeof found === 'string')('the web console', { timeout: 120_000 }, () => {
  const browser = found as Browser
  let consoleCrib: ConsoleCrib
  let guest: Visit

  beforeAll(async () => {
    consoleCrib = await openConsoleCrib()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await consoleCrib?.close()
  })
  beforeEach(async () => {
    guest = await visit(browser, consoleCrib.served)
  })
  afterEach(async () => {
    await guest.end()
  })

  const row = (id: string) =>
    guest.page.locator('.tool-row', { has: guest.page.getByText(id, { exact: true }) })

  it('lists tools, finds them by typing, filters them and shows problems with their place', async () => {
    verifies('V9')
    const { page } = guest
    await guest.go('#/tools')
    await row('doubler').waitFor()
    expect(await row('doubler').innerText()).toContain('tool-code')
    await expect.poll(() => row('broken').innerText()).toMatch(/broken\.json:\d+/)
    await page.getByLabel('Search tools').fill('double number')
    await expect.poll(() => page.locator('.tool-row').count()).toBe(1)
    expect(page.url()).toContain('q=double')
    await page.getByLabel('Search tools').fill('nothing like this')
    await page.getByRole('button', { name: 'Clear search and filters' }).click()
    const chip = (facet: string, value: RegExp) =>
      page.getByRole('group', { name: facet }).getByRole('button', { name: value })
    await chip('Format', /^rye \d/).click()
    await row('shop/hello').waitFor()
    expect(await row('doubler').count()).toBe(0)
    await chip('Format', /^rye/).click()
    await page.getByRole('button', { name: 'More filters' }).click()
    await chip('Capability', /^fs\.read \d/).click()
    await row('list/people').waitFor()
    expect(await row('doubler').count()).toBe(0)
    await chip('Capability', /^fs\.read/).click()
    await chip('Deviations', /^problems \d/).click()
    await row('broken').waitFor()
    await chip('Deviations', /^problems/).click()
    await chip('Deviations', /^denied \d/).click()
    await row('web/get').waitFor()
    expect(await row('doubler').count()).toBe(0)
    await chip('Deviations', /^denied/).click()
    await chip('Deviations', /^asks first \d/).click()
    await row('danger/erase').waitFor()
    await chip('Deviations', /^asks first/).click()
    await chip('Tag', /^demo \d/).click()
    await row('form/everything').waitFor()
    await chip('Tag', /^demo/).click()
    await chip('Trust', /^unsigned \d/).click()
    await row('doubler').waitFor()
    await guest.go('#/tools')
    await consoleCrib.crib.call('list/people', {})
    await row('list/people')
      .getByRole('img', { name: /calls? in 24 h/ })
      .waitFor()
  })

  it('shows a new, changed and removed file without a reload', async () => {
    const file = join(consoleCrib.root, 'crumbs/newcomer.json')
    await guest.go('#/tools')
    await row('doubler').waitFor()
    writeFileSync(
      file,
      toolCode('newcomer', { description: 'Just came.' }, 'export const execute = () => 1\n'),
    )
    await row('newcomer').waitFor()
    writeFileSync(
      file,
      toolCode('newcomer', { description: 'Came and changed.' }, 'export const execute = () => 1\n'),
    )
    await expect.poll(() => row('newcomer').innerText(), { timeout: 20_000 }).toContain('Came and changed.')
    rmSync(file)
    await expect.poll(() => row('newcomer').count(), { timeout: 20_000 }).toBe(0)
  })

  it('tells everything about a tool and runs its example with one click', async () => {
    const { page } = guest
    await guest.go('#/tools/doubler')
    await page.getByRole('heading', { name: 'doubler' }).waitFor()
    await page.getByText('Doubles a number.').waitFor()
    await page.getByRole('button', { name: 'Run half of the answer' }).click()
    await page.getByText('as expected').waitFor()
    await page.getByRole('log').getByText('doubling 21').waitFor()
    await page.getByRole('tab', { name: 'Docs' }).click()
    await page.getByText('What to double.').waitFor()
    await page.getByRole('tab', { name: 'How it runs' }).click()
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    await page.getByRole('tab', { name: 'Code' }).click()
    await page.getByText('export async function execute').first().waitFor()
    await guest.go('#/tools/shop/hello?tab=how')
    await page
      .getByRole('list', { name: 'Executor chain' })
      .getByText('rye/core/runtimes/python/function')
      .waitFor()
  })

  it('makes a form of a JSON Schema, with every kind of field and faults beside them', async () => {
    const { page } = guest
    await guest.go('#/tools/form/everything')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('name is required', { exact: true }).waitFor()
    await page.getByText('colour is required', { exact: true }).waitFor()
    await page.getByLabel('name required').fill('A')
    await page.getByText('name must have at least 2 characters').waitFor()
    await page.getByLabel('name required').fill('Ada')
    await page.getByLabel('mail', { exact: true }).fill('nobody')
    await page.getByText('mail must be an e-mail address').waitFor()
    await page.getByLabel('mail', { exact: true }).fill('ada@example.com')
    await page.getByLabel('count').fill('10')
    await page.getByText('count must be at most 9').waitFor()
    await page.getByLabel('count').fill('4')
    await page.getByRole('button', { name: 'green' }).click()
    await page.getByRole('switch', { name: 'isUrgent' }).click()
    await page.getByRole('button', { name: 'Large' }).click()
    await page.getByRole('button', { name: 'Add address' }).click()
    await page.getByLabel('city required').fill('London')
    await page.getByRole('button', { name: 'Add an entry to tags' }).click()
    await page.getByLabel('tags 1').fill('math')
    await page.getByRole('button', { name: 'Add an entry to people' }).click()
    await page.getByLabel('first required').fill('Grace')
    await page
      .getByRole('group', { name: 'contact: variant' })
      .getByRole('button', { name: 'By post' })
      .click()
    await page.getByLabel('stamp required').fill('90')
    await page.getByRole('button', { name: 'Add labels' }).click()
    await page.getByLabel('New key of labels').fill('team')
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByLabel('team').fill('blue')
    await page.locator('.nullable').getByLabel('null').check()
    await page.getByLabel('anything').fill('{"x": [1, 2]}')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('succeeded').waitFor()
    const given = {
      name: 'Ada',
      mail: 'ada@example.com',
      count: 4,
      isUrgent: true,
      colour: 'green',
      kind: 'demo',
      size: 'l',
      nickname: null,
      address: { city: 'London' },
      tags: ['math'],
      people: [{ first: 'Grace' }],
      contact: { via: 'post', stamp: 90 },
      labels: { team: 'blue' },
      anything: { x: [1, 2] },
    }
    await page
      .getByRole('group', { name: 'How to enter parameters' })
      .getByRole('button', { name: 'JSON' })
      .click()
    const raw = page.getByLabel('Parameters as JSON')
    expect(JSON.parse(await raw.inputValue())).toEqual(given)
    await raw.fill('{ "name": ')
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
    await raw.fill(JSON.stringify({ ...given, count: 5 }))
    await page
      .getByRole('group', { name: 'How to enter parameters' })
      .getByRole('button', { name: 'Form' })
      .click()
    expect(await page.getByLabel('count').inputValue()).toBe('5')
  })

  it('shows what only the server finds beside the field it is about', async () => {
    const { page } = guest
    await guest.go('#/tools/text/strict')
    await page.getByLabel('code required').fill('abc')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect.poll(() => page.locator('#params_code-faults').innerText()).toContain('fewer than 5')
    expect(await page.getByLabel('code required').getAttribute('aria-invalid')).toBe('true')
  })

  it('shows logs and progress while a tool runs, and cancels it', async () => {
    const { page } = guest
    await guest.go('#/tools/slow/steps')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText(/\d+ of 1,000 – stepping/).waitFor()
    await page.getByRole('log').getByText('step 3', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('CANCELLED').first().waitFor()
  })

  it('shows results as table, image, tree and JSON, and the call in other words', async () => {
    const { page } = guest
    await guest.go('#/tools/list/people')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('cell', { name: 'Grace' }).waitFor()
    await page.getByRole('group', { name: 'Show the result as' }).getByRole('button', { name: 'Raw' }).click()
    await page.getByRole('region', { name: 'Result as it came' }).waitFor()
    await page.getByRole('button', { name: 'Copy as' }).click()
    const text = page.getByRole('region', { name: 'Text of the call' })
    expect(await text.innerText()).toBe("toolcrib run list/people --params '{}'")
    for (const [tab, words] of [
      ['curl', '$TOOLCRIB_TOKEN'],
      ['MCP call', '"tools/call"'],
      ['TypeScript', 'await crib.call("list/people"'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      expect(await text.innerText()).toContain(words)
    }
    expect(await page.content()).not.toContain(consoleCrib.served.token!)
    await page.keyboard.press('Escape')
    await guest.go('#/tools/picture/dot')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('img', { name: 'Result' }).waitFor()
  })

  it('lists runs live, filters them, and shows the waterfall, log and enforcement of one', async () => {
    const { page } = guest
    await consoleCrib.crib.call('doubler', { n: 4 })
    await guest.go('#/runs')
    await page.getByRole('img', { name: /runs over time, \d+ failed/ }).waitFor()
    const stop = new AbortController()
    const slow = consoleCrib.crib.call('slow/steps', {}, { signal: stop.signal })
    const line = page.getByRole('row', { name: /slow\/steps/ }).first()
    await page
      .getByText(/\d running/)
      .first()
      .waitFor()
    stop.abort()
    await slow
    await expect.poll(() => line.innerText(), { timeout: 20_000 }).toContain('CANCELLED')
    await page.getByLabel('Search tool, caller, id or error').fill('doubler')
    await expect.poll(() => page.getByRole('row', { name: /slow\/steps/ }).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('true')
    await page.getByRole('link', { name: 'doubler' }).first().click()
    await page.getByRole('heading', { name: 'Run of doubler' }).waitFor()
    await page.getByRole('rowheader', { name: 'execute (runtime)' }).waitFor()
    await page
      .getByRole('log')
      .getByText(/doubling \d+/)
      .waitFor()
    await page.getByRole('region', { name: 'Enforcement' }).getByText('network').waitFor()
    await page.getByRole('link', { name: 'Replay' }).click()
    await page.getByRole('heading', { name: 'doubler' }).waitFor()
    expect(await page.getByLabel('n required').inputValue()).toMatch(/\d+/)
  })

  it('follows crumbs live, filters them, and draws what came of one', async () => {
    const { page } = guest
    await guest.go('#/events')
    await page.getByRole('heading', { name: 'Events' }).waitFor()
    await page.getByRole('button', { name: 'Send an event' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Ada comes in')
    await dialog.getByLabel('Schema').fill('visit.v1')
    await dialog.getByLabel('Tags').fill('door, front')
    await page.getByLabel('Context (JSON)').fill('{"name": "Ada"')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText(/context is not JSON/).waitFor()
    await page.getByLabel('Context (JSON)').fill('{"name": "Ada"}')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Ada comes in' }).waitFor()
    await page.getByRole('tab', { name: 'Causes and effects' }).click()
    await expect
      .poll(
        async () => {
          await page.getByRole('button', { name: 'Look again' }).click()
          return page.getByRole('region', { name: 'Causes and effects' }).first().innerText()
        },
        { timeout: 60_000, interval: 500 },
      )
      .toContain('Hello Ada')
    await page.getByRole('link', { name: /^greeter\s*run, ok/ }).waitFor()
    await guest.go('#/events?schema=visit.v1')
    await page.getByRole('link', { name: 'Ada comes in' }).waitFor()
    expect(await page.getByRole('link', { name: 'Hello Ada' }).count()).toBe(0)
    await consoleCrib.crib.crumbs.create({
      title: 'Grace comes in',
      schema_name: 'visit.v1',
      tags: ['door'],
      context: {},
    })
    await page.getByRole('listitem').filter({ hasText: 'Grace comes in' }).getByText('created').waitFor()
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('front')
    await expect.poll(() => page.getByRole('link', { name: 'Grace comes in' }).count()).toBe(0)
  })

  it('shows a conflict of two editors, and the difference between versions', async () => {
    const { page } = guest
    guest.expectRefusals(412)
    const { id } = await consoleCrib.crib.crumbs.create({
      title: 'Note',
      tags: [],
      context: { text: 'first' },
    })
    await guest.go(`#/events/${id}?tab=edit`)
    await page.getByLabel('Context (JSON)').fill('{"text": "mine"}')
    await consoleCrib.crib.crumbs.update(id, { context: { text: 'theirs' } })
    await page.getByRole('button', { name: 'Save' }).click()
    const conflict = page.getByRole('alert', { name: 'Conflict' })
    await conflict.getByText('saved version 2 while you were editing version 1').waitFor()
    expect(await conflict.innerText()).toMatch(/theirs[\s\S]*mine/)
    await page.getByRole('button', { name: 'Save mine over it' }).click()
    await page.getByText('version 3').waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    const difference = page.getByRole('region', { name: 'Difference' })
    await expect.poll(() => difference.innerText()).toMatch(/−.*theirs[\s\S]*\+.*mine/)
    await page.getByRole('button', { name: /Version 2/ }).click()
    await expect.poll(() => difference.innerText()).toMatch(/−.*first[\s\S]*\+.*theirs/)
  })

  it('draws what started, and shows services, schedules in the viewer’s zone and subscriptions', async () => {
    const { page } = guest
    await guest.go('#/events?tab=automation')
    const order = page.getByRole('region', { name: 'Order of the start' })
    await order.getByRole('link', { name: /^1\. first\s*succeeded/ }).waitFor()
    await order.getByRole('link', { name: /^2\. keeper\s*started/ }).waitFor()
    expect(await order.innerText()).toContain('1. first before 2. keeper')
    const services = page.getByRole('region', { name: 'Continuous tools' })
    await services.getByText('never restarted').waitFor()
    await page.getByRole('region', { name: 'Subscriptions' }).getByText('visit.v1').waitFor()
  })

  it('tells the next five times of a schedule, fires it now, and pauses it', async () => {
    verifies('V14')
    const { page } = guest
    await guest.go('#/events?tab=schedules')
    const schedules = page.getByRole('region', { name: 'Schedules' })
    await schedules.getByText('Times in Europe/Berlin').waitFor()
    await schedules.getByText(/^Next .*:30:00/).click()
    expect(await schedules.getByRole('list', { name: 'The next five times' }).locator('li').count()).toBe(5)
    await schedules.getByRole('button', { name: 'Run now' }).click()
    await page.getByText('Every hour fired.').first().waitFor()
    await schedules.getByRole('button', { name: 'Pause' }).click()
    await schedules.getByText('paused').waitFor()
    await schedules.getByRole('button', { name: 'Resume' }).click()
    await schedules.getByText('paused').waitFor({ state: 'detached' })
    const { items } = await consoleCrib.crib.crumbs.list({ schema: 'schedule.tick.v1' })
    expect(items).toHaveLength(1)
  })

  it('holds the stream of events while one reads, counts what came, and knows all schemas', async () => {
    verifies('V14')
    const { page } = guest
    const note = (title: string) =>
      consoleCrib.crib.crumbs.create({ title, schema_name: 'note.v1', tags: ['paper'], context: {} })
    await note('Before')
    await guest.go('#/events')
    await page.getByRole('link', { name: 'Before' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await note('Meanwhile')
    await page.getByRole('button', { name: 'Go on (1 new)' }).click()
    await page.getByRole('link', { name: 'Meanwhile' }).waitFor()
    await page.getByRole('combobox', { name: 'Schema' }).selectOption('note.v1')
    await expect.poll(() => page.locator('.crumb-row').count()).toBe(2)
    await expect.poll(() => page.getByRole('combobox', { name: 'Tag' }).innerText()).toContain('paper (2)')
  })

  it('goes on to older events as one scrolls', async () => {
    verifies('V14')
    const { page } = guest
    for (let n = 0; n < 450; n++)
      await consoleCrib.crib.crumbs.create({
        title: `Old ${n}`,
        schema_name: 'old.v1',
        tags: [],
        context: {},
      })
    await guest.go('#/events?schema=old.v1')
    await page.getByRole('link', { name: 'Old 449' }).waitFor()
    expect(await page.locator('.crumb-row').count()).toBeLessThan(100)
    await expect
      .poll(async () => {
        await page.locator('main').evaluate((main) => main.scrollTo(0, main.scrollHeight))
        return page.getByRole('link', { name: 'Old 0', exact: true }).count()
      })
      .toBe(1)
    expect(await page.locator('*').count()).toBeLessThan(1_500)
  })

  it('saves the settings of a tool from its form, and shows refusals beside the field', async () => {
    const { page } = guest
    guest.expectRefusals(422)
    await guest.go('#/settings?tab=tools&tool=greeter')
    await page.getByLabel('Words').fill('Good day')
    await page.getByLabel('Letter').fill('Dear')
    await page.getByLabel('Times').fill('7')
    await page.getByLabel('Warmth').fill('80')
    await page.getByLabel('Loud').check()
    await page.getByLabel('Tongue').selectOption('German')
    await page.getByLabel('More').fill('{"b": 2}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Times must be at most 3').waitFor()
    await page.getByLabel('Times').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^saved /).waitFor()
    const [saved] = (await consoleCrib.crib.crumbs.list({ schema: 'tool.config.v1', includeContext: true }))
      .items
    expect(saved!.context).toMatchObject({
      tool_name: 'greeter',
      config: { words: 'Good day', times: 2, warmth: 80, loud: true, tongue: 'de', more: { b: 2 } },
    })
  })

  it('keeps secrets without showing them, and lists tokens, keys and the layers of this machine', async () => {
    const { page } = guest
    await guest.go('#/settings?tab=secrets')
    await page.getByText('named by tools and not stored').waitFor()
    await page.getByLabel('Value').fill('very-secret-value')
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByRole('row', { name: /NEEDY_KEY.*needy/ }).waitFor()
    expect(await page.content()).not.toContain('very-secret-value')
    await page.getByRole('tab', { name: 'Tokens' }).click()
    await page.getByRole('row', { name: /operator.*admin/ }).waitFor()
    await page.getByRole('tab', { name: 'Keys and trust' }).click()
    await page.getByText('Trust mode').waitFor()
    await page.getByRole('tab', { name: 'This server' }).click()
    await page.getByText('bubblewrap').first().waitFor()
  })

  it('shows drift and accepts it', async () => {
    const { page } = guest
    writeFileSync(
      join(consoleCrib.root, 'crumbs/drifter.json'),
      toolCode('drifter', { description: 'Says midnight.' }, 'export const execute = () => "midnight"\n'),
    )
    await expect.poll(() => consoleCrib.crib.find('drifter').state, { timeout: 20_000 }).toBe('quarantined')
    verifies('V4', 'V15', 'V21')
    await guest.go('#/inbox/drift:drifter')
    await page.getByRole('link', { name: 'Review the change' }).click()
    await page
      .getByRole('region', { name: /Difference of/ })
      .filter({ hasText: 'midnight' })
      .first()
      .waitFor()
    const accept = page.getByRole('button', { name: 'Accept drifter' })
    // Code that changed is a high risk: nobody accepts it without looking at what it is.
    expect(await accept.isDisabled()).toBe(true)
    await page.getByPlaceholder('drifter').fill('drifter')
    await accept.click()
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await expect.poll(() => consoleCrib.crib.find('drifter').state, { timeout: 20_000 }).toBe('available')
  })

  it('asks a person before a tool that needs approval runs', async () => {
    const { page } = guest
    const call = consoleCrib.crib.call('danger/erase', { what: 'dust' })
    await page.getByRole('link', { name: /^Inbox/ }).click()
    await page.getByText('"dust"').waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    expect(await call).toMatchObject({ ok: true, value: 'erased dust' })
    await expect.poll(() => page.getByText('wants to run danger/erase').count()).toBe(0)
  })

  it('shows the nodes: this one alone, then another beside it, then that it is gone', async () => {
    const { page } = guest
    await guest.go('#/settings?tab=nodes')
    await page.getByText('One node, this one.').waitFor()
    const cards = page.getByRole('list', { name: 'Nodes' }).getByRole('listitem', { name: /^Node / })
    expect(await cards.count()).toBe(1)
    const text = (await cards.textContent())!
    for (const part of ['alive', 'this node', '0 of 16 at once', 'schedules', String(process.pid)])
      expect(text).toContain(part)
    const other = await openCrib({
      root: consoleCrib.root,
      env: { HOME: consoleCrib.root, PATH: process.env['PATH'] },
      config: { fleet: { name: 'second-machine', concurrency: 3 } },
    })
    try {
      await other.startEngines({ bootstrap: false })
      const second = page.getByRole('listitem', { name: 'Node second-machine' })
      await second.getByText('0 of 3 at once').waitFor()
      expect(await second.textContent()).not.toContain('this node')
      expect(await page.getByText('One node, this one.').count()).toBe(0)
      await guest.screenshot('nodes-two')
    } finally {
      await other.close()
    }
    await page.getByText('One node, this one.').waitFor()
  })

  it('is moved through by keyboard', async () => {
    const { page } = guest
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    for (const [letter, title] of [
      ['r', 'Runs'],
      ['e', 'Events'],
      ['i', 'Inbox'],
      ['c', 'Connect'],
      ['s', 'Settings'],
      ['h', 'Home'],
      ['t', 'Tools'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(letter)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await expect.poll(() => page.evaluate<string>('document.activeElement.tagName')).toBe('H1')
    }
    await page.keyboard.press('/')
    await page.keyboard.type('doubler')
    await row('doubler').waitFor()
    expect(await page.getByLabel('Search tools').inputValue()).toBe('doubler')
    await page.keyboard.press('Escape')
    await row('doubler').getByRole('link').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'doubler' }).waitFor()
  })

  it('takes the token out of the address, keeps it for the tab, and asks for one without', async () => {
    const { page } = guest
    guest.expectRefusals(401)
    expect(page.url()).not.toContain('token')
    expect(await page.evaluate<number>('history.length')).toBeLessThanOrEqual(2)
    await page.reload()
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    expect(await page.evaluate<string[]>('Object.keys(localStorage)')).toEqual(['toolcrib-theme'])
    const elsewhere = await browser.newContext()
    const stranger = await elsewhere.newPage()
    await stranger.goto(consoleCrib.served.url)
    await stranger.getByLabel('Token').fill('wrong')
    await stranger.getByRole('button', { name: 'Open the console' }).click()
    await stranger.getByText('The server does not know this token.').waitFor()
    await stranger.getByLabel('Token').fill(consoleCrib.served.token!)
    await stranger.getByRole('button', { name: 'Open the console' }).click()
    await stranger.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await elsewhere.close()
    const policy = (await page.request.get(consoleCrib.served.url)).headers()['content-security-policy']!
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })

  it('follows the preference for light or dark, and the switch', async () => {
    const { page } = guest
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await background()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(background).not.toBe(light)
    const dark = await background()
    await page.getByRole('button', { name: /^Theme: system/ }).click()
    await expect.poll(background).toBe(light)
    await page.getByRole('button', { name: /^Theme: light/ }).click()
    await expect.poll(background).toBe(dark)
  })
})
