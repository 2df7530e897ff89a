// The page: the playground of a server, whose model answers here.

import "../playground/main.js";
