// Stands where something is on its way.

export function Loading({ what, lines = 4 }: { what: string; lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading {what}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} style={{ width: `${90 - ((index * 17) % 45)}%` }} />
      ))}
    </div>
  )
}
