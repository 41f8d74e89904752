// DownloadOptions: the options about what is saved to files.
#if Tool

struct DownloadOptions: Options {
    var download = false

    static let title = "Downloads"
    static let options: [CommandOption<Self>] = [
        .flag(
            "download", letter: "d",
            "Save to a file, named by the server or the URL unless by --output; items that are URLs are downloads too."
        ) { $0.download = true }
    ]
}

#endif
