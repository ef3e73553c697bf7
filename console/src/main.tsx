// The console starts here. The session comes first: it takes the token out of the address, which the rest reads.
import './api/session.ts'
import { render } from 'preact'
import { App } from './app.tsx'
import { mendLanguage } from './mend-language.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'

mendLanguage()
render(<App />, document.getElementById('app')!)
