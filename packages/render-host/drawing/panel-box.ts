/** The place of a panel over the picture, in pixels. */
export interface PanelBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the opacity of a panel, 0 to 1. */
export type PanelOpacity = (box: PanelBox) => number;
