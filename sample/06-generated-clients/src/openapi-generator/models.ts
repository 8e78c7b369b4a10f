// Written by hand, as `typescript-axios.ts` beside this file.
export interface NewPayment {
  amount: number;
  reference?: string;
}

export interface Receipt {
  interface: string;
  environment: string;
  method: string;
  path: string;
  bodyLength: number;
  bodySha256: string;
}
