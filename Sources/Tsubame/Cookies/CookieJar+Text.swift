// Jars and `cookies.txt`, the format of Netscape that curl, wget, yt-dlp and extensions of browsers write.

public import TsubameCore
public import TsubameWire

extension CookieJar {
    /// A jar that is kept in a `cookies.txt`, which other programs can use as well: read now and whenever it has changed,
    /// written as a whole, under another name and then renamed, with every change. Its mode becomes 0600.
    ///
    /// Session cookies are kept, too, as curl does. A cookie with a tab in its name, value or path stays in memory
    /// only, and ``notices`` say so. Lines that cannot be read are told to `problem`; they, and comments, are gone once the
    /// file is written. One comment, `# tsubame-owner: …`, says for a cache whose cookies they are. For many cookies, or
    /// many processes, `TsubameStore` has a better way.
    /// - Throws: ``CallError/Kind/file`` if the file is there and cannot be read, or is none of that format.
    public convenience init(
        file path: String, publicSuffixes: PublicSuffixList = .builtIn, problem: (CookieLineProblem) -> Void = { _ in }
    ) throws(CallError) {
        let file = CookieFile(path)
        var store = CookieStore(suffixes: publicSuffixes)
        for line in try file.load(&store, now: Self.now) { problem(line) }
        self.init(store: store, keeper: file)
    }

    /// Adds the cookies of a text in that format. A line that ended cookies removes them.
    /// - Returns: the lines that could not be read; all others were.
    /// - Throws: ``CallError/Kind/file`` if the cookies cannot be kept.
    @discardableResult
    public func importText(_ text: String) throws(CallError) -> [CookieLineProblem] {
        let contents = CookieText.read(text.utf8)
        return try change { (store, now) in store.insert(contents, now: now) }
    }

    /// Adds the cookies of a file in that format.
    /// - Returns: the lines that could not be read; all others were.
    /// - Throws: ``CallError/Kind/file`` if the file cannot be read or is larger than 32 MiB, or if the cookies cannot be
    ///   kept.
    @discardableResult
    public func importFile(_ path: String) throws(CallError) -> [CookieLineProblem] {
        let contents = try CookieFile.contents(of: path)
        return try change { (store, now) in store.insert(contents, now: now) }
    }

    /// All cookies in that format. It cannot express a tab in a name, value or path, and has no place for
    /// ``Cookie/sameSite-swift.property``.
    /// - Parameter leftOut: told of each cookie with a tab in its name, value or path; the text goes without it.
    public func exportText(leftOut: (Cookie) -> Void = { _ in }) -> String {
        let now = Self.now
        let (text, others) = refreshed(now) { store in
            (store.text(now: now), store.cookies.filter { ($0.expires ?? .max) > now && !CookieText.canHold($0) })
        }
        others.forEach(leftOut)
        return text
    }

    /// Writes them into a file, under another name and then renamed. Only its owner can read it.
    /// - Parameters:
    ///   - path: of the file.
    ///   - leftOut: told of each cookie with a tab in its name, value or path; the file goes without it.
    /// - Throws: ``CallError/Kind/file``.
    public func exportFile(_ path: String, leftOut: (Cookie) -> Void = { _ in }) throws(CallError) {
        try CookieFile(path).replace(by: exportText(leftOut: leftOut))
    }
}
