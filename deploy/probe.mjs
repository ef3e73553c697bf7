// Asks this node whether it is ready, with its token; ends with 0 when it is. For health checks of containers.
const port = process.env.TOOLCRIB_PORT ?? '4747'
try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
    headers: { authorization: `Bearer ${process.env.TOOLCRIB_NODE_TOKEN}` },
    signal: AbortSignal.timeout(4_000),
  })
  if (!answer.ok) console.error(await answer.text())
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
