// The emergency stop of the crib: everything stops at once, and goes on when somebody says so.
import { useState } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import type { HaltState } from '../../api/types.ts'
import { announce } from '../../state/notices.ts'
import { outdate, useQuery } from '../../state/query.ts'
import { say } from '../../words/say.ts'

export function HaltSwitch() {
  const { data } = useQuery<HaltState>('/api/halt', ['settings'])
  const [isSure, setSure] = useState(false)
  if (!data) return null
  const act = async (path: string) => {
    setSure(false)
    try {
      await askJson(path, { method: 'POST' })
      outdate('settings', 'runs')
    } catch (error) {
      announce((error as Error).message, true)
    }
  }
  return (
    <section class="row wrap" aria-label={say('Emergency stop')}>
      <span class={data.halted ? 'bad-text grow' : 'grow'}>
        {data.halted
          ? say('The crib is halted: nothing runs.')
          : say('Stops every call, worker, schedule and subscription.')}
      </span>
      {data.halted ? (
        <button type="button" class="button primary" onClick={() => act('/api/resume')}>
          {say('Resume')}
        </button>
      ) : isSure ? (
        <>
          <button type="button" class="button danger" onClick={() => act('/api/halt')}>
            {say('Halt everything now')}
          </button>
          <button type="button" class="button" onClick={() => setSure(false)}>
            {say('Cancel')}
          </button>
        </>
      ) : (
        <button type="button" class="button danger" onClick={() => setSure(true)}>
          {say('Halt…')}
        </button>
      )}
    </section>
  )
}
