/** The JSON of `bromeliad report --json`, and the hands of the store. */

export interface Mean {
  count: number;
  mean: number | null;
  stderr: number | null;
}

export interface Share {
  count: number;
  of: number;
  share: number | null;
  low: number | null;
  high: number | null;
}

export interface PlayerResults {
  player: string;
  hands: number;
  points: Mean;
  royalties: Mean;
  foul: Share;
  entry: Share;
  stay: Share;
  scoop: Share;
  scooped: Share;
}

export interface TrendPoint {
  player: string;
  first: number;
  last: number;
  mean: Mean;
}

export interface Report {
  hands: number;
  players: PlayerResults[];
  trend: TrendPoint[];
  ev_trend: TrendPoint[];
}

export interface StoredHand {
  id: number;
  number: number;
  rules: string;
  played_at: string;
  seats: { player: string; fantasyland: number; points: number; royalties: number; fouled: boolean; next_fantasyland: number; ev_loss: number | null }[];
  starred: boolean;
  note: string;
}
