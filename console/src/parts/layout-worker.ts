// Lays graphs out beside the page, so that a large one does not stop it.
import { type GraphShape, layoutGraph } from './layout-graph.ts'

addEventListener('message', ({ data }: MessageEvent<{ id: number; shape: GraphShape }>) => {
  postMessage({ id: data.id, layout: layoutGraph(data.shape) })
})
