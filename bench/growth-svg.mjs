// Draws growth curves, each against its own first point, on logarithmic axes: a flat line is a flat cost, the
// dashed diagonal is cost in proportion to the work.
const width = 720
const height = 360
const box = { left: 60, right: 210, top: 24, bottom: 44 }
const colours = ['#0b7285', '#c2410c', '#4d7c0f', '#7c3aed', '#b91c1c', '#525252']

export function growthSvg(curves) {
  const x = (times) => box.left + (Math.log10(times) / 2) * (width - box.left - box.right)
  const y = (times) =>
    height - box.bottom - ((Math.log10(times) + 0.5) / 2.75) * (height - box.top - box.bottom)
  const grid = [1, 10, 100].flatMap((times) => [
    `<text x="${x(times)}" y="${height - 22}" text-anchor="middle">${times}×</text>`,
    `<text x="${box.left - 8}" y="${y(times) + 4}" text-anchor="end">${times}×</text>`,
    `<path d="M${box.left} ${y(times)}H${width - box.right}" stroke="#999" stroke-opacity=".35"/>`,
  ])
  const lines = Object.entries(curves).map(([name, { points }], index) => {
    const [first] = points
    const at = points.map(({ size, value }) => [x(size / first.size), y(value / first.value)])
    const colour = colours[index % colours.length]
    const [endX, endY] = at.at(-1)
    return [
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${at.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(' ')}"/>`,
      ...at.map(([a, b]) => `<circle cx="${a.toFixed(1)}" cy="${b.toFixed(1)}" r="3" fill="${colour}"/>`),
      `<text x="${endX + 8}" y="${labelY(endY, index).toFixed(1)}" fill="${colour}">${name}</text>`,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#666" role="img" aria-label="How cost grows with the amount of work">
${grid.join('\n')}
<path d="M${x(1)} ${y(1)}L${x(100)} ${y(100)}" stroke="#999" stroke-dasharray="4 4" fill="none"/>
<text x="${x(100) + 8}" y="${y(100) - 6}">in proportion</text>
${lines.join('\n')}
<text x="${(box.left + width - box.right) / 2}" y="${height - 4}" text-anchor="middle">amount of work</text>
</svg>
`
  // Labels of curves that end together would cover each other.
  function labelY(wanted, index) {
    const ends = Object.values(curves).map(({ points }) => y(points.at(-1).value / points[0].value))
    const above = ends.filter((end, other) => other < index && Math.abs(end - wanted) < 12).length
    return wanted + 4 + above * 13
  }
}
