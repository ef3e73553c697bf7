// What the keys do.
import { pages } from './pages/registry.ts'
import { Dialog } from './parts/dialog.tsx'

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="facts">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search</dd>
        {pages.map((page) => (
          <Key key={page.key} letter={page.letter} title={page.title} />
        ))}
        <dt>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>Run the tool whose form is open</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>Leave a field, close a dialog</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>This help</dd>
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
