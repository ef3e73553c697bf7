export function CrumbsPage() {
  return null
}
