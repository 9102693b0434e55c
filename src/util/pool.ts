/** At most `size` sessions, opened when they are first needed, lent to one user at a time and closed together. */
export class Pool<Session extends { close(): unknown }> {
  readonly #open: () => Promise<Session>;
  readonly #idle: Session[] = [];
  readonly #all: Session[] = [];
  readonly #waiting: ((session: Session) => void)[] = [];
  readonly #size: number;
  #opening = 0;

  constructor(size: number, open: () => Promise<Session>) {
    this.#size = Math.max(1, size);
    this.#open = open;
  }

  async use<T>(task: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#take();
    try {
      return await task(session);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(session);
      else this.#idle.push(session);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.splice(0).map((session) => session.close()));
  }

  async #take(): Promise<Session> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#all.length + this.#opening >= this.#size) {
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    this.#opening++;
    try {
      const session = await this.#open();
      this.#all.push(session);
      return session;
    } finally {
      this.#opening--;
    }
  }
}
