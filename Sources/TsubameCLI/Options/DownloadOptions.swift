// DownloadOptions: the options about what is saved to files.
#if Tool
import ArgumentParser

struct DownloadOptions: ParsableArguments {
    @Flag(
        name: [.customShort("d"), .long],
        help:
            "Save to a file, named by the server or the URL unless by --output; items that are URLs are downloads too.")
    var download = false
}

#endif
