// The icons, drawn on a 24 grid as strokes; they take the colour of the text and say nothing to screen readers.

const paths = {
  tools: 'M4 5h16M4 12h16M4 19h10',
  rows: 'M4 5h16M4 9.700h16M4 14.300h16M4 19h16',
  runs: 'M3 12h4l3-8 4 16 3-8h4',
  crumbs: 'M5 6a2 2 0 1 0 .01 0M19 18a2 2 0 1 0 .01 0M7 8l4 4-2 3 8 1',
  automation: 'M12 8v4l3 2M12 3a9 9 0 1 0 9 9M16 3h5v5',
  nodes: 'M4 4h16v6H4zM4 14h16v6H4zM8 7v.01M8 17v.01',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 5v4M6 15v4',
  home: 'M4 11 12 4l8 7v9h-6v-6h-4v6H4z',
  inbox: 'M4 13h5l1 3h4l1-3h5M4 13l3-8h10l3 8v6H4z',
  connect: 'M9 7V3M15 7V3M6 7h12v4a6 6 0 0 1-12 0zM12 17v4',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  out: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  clock: 'M12 3a9 9 0 1 0 .01 0M12 7v5l3 2',
  thread: 'M5 5h6M5 5v14M5 12h8M5 19h10M19 12v.01M19 5v.01M19 19v.01',
  key: 'M8 12a4 4 0 1 0 .01 0M11.500 14 21 4.500M17 8.500l2.500 2.500',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  globe: 'M12 3a9 9 0 1 0 .01 0M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  search: 'M11 4a7 7 0 1 0 .01 0M16.5 16.5 21 21',
  sun: 'M12 8a4 4 0 1 0 .01 0M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5',
  moon: 'M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.500 10.500Z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  help: 'M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 18v.01',
  shield: 'M12 3l8 3v6c0 4.500-3.300 7.700-8 9-4.700-1.300-8-4.500-8-9V6z',
  fence: 'M4 21V8l2-3 2 3v13M10 21V8l2-3 2 3v13M16 21V8l2-3 2 3v13M2 12h20M2 17h20',
  alert: 'M12 4 2.500 20h19zM12 10v4M12 17v.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  play: 'M7 4.500v15l12-7.500z',
  stop: 'M6 6h12v12H6z',
  pause: 'M8 5v14M16 5v14',
  check: 'M4 12.500 9.500 18 20 6.500',
  plus: 'M12 5v14M5 12h14',
  cross: 'M6 6l12 12M18 6 6 18',
  down: 'M6 9l6 6 6-6',
  box: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
