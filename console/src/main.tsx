// The console starts here. The session comes first: it takes the token out of the address, which the rest reads.

import { render } from 'preact'
import { joinSession } from './api/session.ts'
import { App } from './app.tsx'
import { fixLanguage } from './fix-language.ts'
import { showTurningEverywhere } from './parts/invisible.ts'
import { openLanguage } from './words/language.ts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'

fixLanguage()
showTurningEverywhere()
await Promise.all([openLanguage(), joinSession()])
render(<App />, document.getElementById('app')!)
