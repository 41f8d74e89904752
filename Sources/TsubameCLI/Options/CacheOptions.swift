// CacheOptions: the option to cache responses.

import Tsubame

struct CacheOptions: Options {
    var cache = false

    static let title = "Cache"
    static let options: [CommandOption<Self>] = [
        .toggle(
            "cache",
            "Cache responses as servers allow, and reuse them while fresh (-m shows it); not for downloads. "
                + "Bodies are read to the end, printed or not. Cache-Control:no-cache always asks the server, "
                + "Cache-Control:only-if-cached never."
        ) { $0.cache = $1 }
    ]
}
