export const lib = "lib";
