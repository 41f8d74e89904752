// CacheOptions: the options about responses that are kept.
#if Tool
import Tsubame

struct CacheOptions: Options {
    var cache = false

    static let title = "Cache"
    static let options: [CommandOption<Self>] = [
        .toggle(
            "cache",
            "Keep what servers allow to be kept, and answer by it while it is fresh, as -m says; not "
                + "for downloads. Bodies are read to their end for it, printed or not. Cache-Control:no-cache asks the server anyway, Cache-Control:only-if-cached never."
        ) { $0.cache = $1 }
    ]
}

#endif
