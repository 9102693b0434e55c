/** The matrix of a file, cut into blocks: those in which the file has an entry are stored. */
export interface FileMatrix {
  /** Name of the file and a part of its contents' hash: another matrix has another id. */
  readonly id: string;
  readonly path: string;
  /** Elements of a block's side. */
  readonly block: number;
  /** Elements, in whole blocks. */
  readonly rows: number;
  readonly columns: number;
  /** Share of the blocks that are stored. */
  readonly density: number;
  /** Mean square of the numbers of blocks in a row of them over the square of their mean; absent: there are no blocks. */
  readonly unevenness?: number;
}
