// What the console's own routes answer, as types: the server makes them, the console reads them.
import type { Static } from '../../tool/shape.ts'
import type {
  catalogRowShape,
  catalogRowsShape,
  expectedFenceShape,
  onionLayerShape,
  refusalShape,
  sourceFileShape,
} from './console-shapes.ts'

export type ExpectedFence = Static<typeof expectedFenceShape>
export interface CatalogRow extends Static<typeof catalogRowShape> {}
export interface CatalogRows extends Static<typeof catalogRowsShape> {}
export interface OnionLayer extends Static<typeof onionLayerShape> {}
export interface LayerRefusal extends Static<typeof refusalShape> {}
export interface SourceFile extends Static<typeof sourceFileShape> {}
