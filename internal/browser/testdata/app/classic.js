window.classic = "é, which needs the charset";
