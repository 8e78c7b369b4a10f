/** Each refused word with the words to write instead. */
export const WORDS: ReadonlyMap<string, string>;

/** The same for several words in a row. */
export const PHRASES: ReadonlyMap<string, string>;

export interface RefusedWord {
  /** 0 if the path of the file contains the word. */
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

export function refusedWords(file: string, content: string): RefusedWord[];

/** The most words of a sentence on a page for users. */
export const MOST_WORDS: number;

export interface LongSentence {
  readonly line: number;
  readonly words: number;
  readonly sentence: string;
}

/** Empty for files that are no pages for users. */
export function longSentences(file: string, content: string): LongSentence[];
