// What the keys do.
import { pages } from './pages/registry.ts'
import { Dialog } from './parts/dialog.tsx'
import { say } from './words/say.ts'

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={say('Keyboard')} onClose={onClose}>
      <dl class="facts">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>{say('Search')}</dd>
        <dt>
          <kbd>Ctrl</kbd> <kbd>K</kbd>
        </dt>
        <dd>{say('Tools, runs, events, settings')}</dd>
        <dt>
          <kbd>j</kbd> <kbd>k</kbd>
        </dt>
        <dd>{say('Down and up in a list')}</dd>
        <dt>
          <kbd>a</kbd> <kbd>d</kbd>
        </dt>
        <dd>{say('Approve or deny what is open in the inbox')}</dd>
        {pages.map((page) => (
          <Key key={page.key} letter={page.letter} title={say(page.title)} />
        ))}
        <dt>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>{say('Run the tool whose form is open')}</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>{say('Leave a field, close a dialog')}</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>{say('This help')}</dd>
      </dl>
    </Dialog>
  )
}

function Key({ letter, title }: { letter: string; title: string }) {
  return (
    <>
      <dt>
        <kbd>g</kbd> <kbd>{letter}</kbd>
      </dt>
      <dd>{title}</dd>
    </>
  )
}
