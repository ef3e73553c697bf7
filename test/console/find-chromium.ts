// A Chromium to test the console with: the one an npm package carries where it runs, else the system's. Asked
// once; where there is none, the reason is printed and the browser tests are skipped.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import bundled from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** As root Chromium has no sandbox of its own; nothing it shows comes from elsewhere, and it asks nobody. */
const flags = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--disable-gpu',
]

const page = fileURLToPath(new URL('../../dist/console/index.html', import.meta.url))

/** The browser, or why there is none. */
export async function launchChromium(): Promise<Browser | string> {
  if (!existsSync(page)) return 'dist/console is not built: npm run build'
  const reasons: string[] = []
  for (const find of [() => bundled.executablePath(), async () => systemChromium()]) {
    try {
      const executablePath = await find()
      if (executablePath) return await launch(executablePath)
    } catch (error) {
      reasons.push((error as Error).message.split('\n')[0]!)
    }
  }
  return `no Chromium starts here: apt-get install chromium (${reasons.join('; ')})`
}

/** Another test file may just be unpacking the program: it cannot be started while it is written. */
async function launch(executablePath: string, triesLeft = 120): Promise<Browser> {
  try {
    return await chromium.launch({ executablePath, args: flags, headless: true })
  } catch (error) {
    if (triesLeft === 0 || !(error as Error).message.includes('ETXTBSY')) throw error
    await new Promise((resolve) => setTimeout(resolve, 500))
    return launch(executablePath, triesLeft - 1)
  }
}

function systemChromium(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((dir) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(dir, name)))
    .find((file) => existsSync(file))
}
