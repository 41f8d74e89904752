// UploadOptions: the options of `tsubame upload`.

struct UploadOptions: Options {
    var continues = false

    static let title = "Uploads"
    static let options: [CommandOption<Self>] = [
        .flag(
            "continue", letter: "c",
            "Continue an earlier upload of the same file to the same URL, if the server still has its bytes and the file is "
                + "unchanged; with --retry, resume at once after a broken connection."
        ) { $0.continues = true }
    ]
}
