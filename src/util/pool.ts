import { Slots } from './limit.ts';

/** At most `size` sessions, opened when they are first needed, lent to one user at a time and closed together. */
export class Pool<Session extends { close(): unknown }> {
  readonly #open: () => Promise<Session>;
  readonly #slots: Slots;
  readonly #idle: Session[] = [];
  readonly #all: Session[] = [];

  constructor(size: number, open: () => Promise<Session>) {
    this.#slots = new Slots(size);
    this.#open = open;
  }

  /** Rejects where a session cannot be opened; who asks next tries again. */
  use<T>(task: (session: Session) => Promise<T>): Promise<T> {
    return this.#slots.run(async () => {
      const session = this.#idle.pop() ?? (await this.#opened());
      try {
        return await task(session);
      } finally {
        this.#idle.push(session);
      }
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.splice(0).map((session) => session.close()));
  }

  async #opened(): Promise<Session> {
    const session = await this.#open();
    this.#all.push(session);
    return session;
  }
}
