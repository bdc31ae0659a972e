export const hashed = "hashed";
