// The console starts here: the token leaves the address before anything else.
import { render } from 'preact'
import { takeToken } from './api/session.ts'
import { App } from './app.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'

takeToken()
render(<App />, document.getElementById('app')!)
