export function CrumbPage() {
  return null
}
