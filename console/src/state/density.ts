// How high rows are: 44 pixels, or 32 for who wants more on the screen.
import { effect, signal } from '@preact/signals'

export type Density = 'roomy' | 'dense'

const key = 'toolcrib-density'

export const density = signal<Density>(localStorage.getItem(key) === 'dense' ? 'dense' : 'roomy')

effect(() => {
  document.documentElement.dataset['density'] = density.value
})

export function nextDensity(): void {
  density.value = density.value === 'dense' ? 'roomy' : 'dense'
  localStorage.setItem(key, density.value)
}
