// CookieJar+Text: reads and writes `cookies.txt`, the Netscape format of curl, wget, yt-dlp and browser extensions.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension CookieJar {
    /// Creates a jar that is kept in a `cookies.txt`, which other programs can use as well.
    ///
    /// The file is read now and each time it has changed. Every change replaces the whole file: the jar writes another
    /// file and renames it. Its mode becomes 0600.
    ///
    /// The file also keeps session cookies, as curl does. A cookie with a tab in its name, value or path stays in
    /// memory only, and ``notices`` reports it. `problem` receives the lines that cannot be read. These lines, and
    /// comments, are lost when the file is written. The comment `# tsubame-owner: …` identifies the owner of the
    /// cookies for a cache. For many cookies or many processes, use the database of `TsubameStore`.
    /// - Throws: ``CallError/Kind/file`` if the file exists and cannot be read, or has another format.
    public convenience init(
        file url: URL, publicSuffixes: PublicSuffixList = .builtIn, problem: (CookieLineProblem) -> Void = { _ in }
    ) throws(CallError) {
        try self.init(file: try url.filePath(), publicSuffixes: publicSuffixes, problem: problem)
    }

    /// The same for the path of a file.
    public convenience init(
        file path: String, publicSuffixes: PublicSuffixList = .builtIn, problem: (CookieLineProblem) -> Void = { _ in }
    ) throws(CallError) {
        let file = CookieFile(path)
        var store = CookieStore(suffixes: publicSuffixes)
        for line in try file.load(&store, now: Self.now) { problem(line) }
        self.init(store: store, storage: file)
    }

    /// Adds the cookies of a text in that format. A line with an expired cookie removes the cookie from the jar.
    /// - Returns: the lines that could not be read. The cookies of all other lines are added.
    /// - Throws: ``CallError/Kind/file`` if the cookies cannot be written to the jar's file.
    @discardableResult
    public func importText(_ text: String) throws(CallError) -> [CookieLineProblem] {
        let contents = CookieText.read(text.utf8)
        return try change { (store, now) in store.insert(contents, now: now) }
    }

    /// Adds the cookies of a file in that format.
    /// - Returns: the lines that could not be read. The cookies of all other lines are added.
    /// - Throws: ``CallError/Kind/file`` if the file cannot be read or is larger than 32 MiB, or if the cookies cannot
    ///   be written to the jar's file.
    @discardableResult
    public func importFile(_ path: String) throws(CallError) -> [CookieLineProblem] {
        let contents = try CookieFile.contents(of: path)
        return try change { (store, now) in store.insert(contents, now: now) }
    }

    /// Adds the cookies of the file at a file URL, in that format.
    @discardableResult
    public func importFile(_ url: URL) throws(CallError) -> [CookieLineProblem] { try importFile(try url.filePath()) }

    /// Returns all cookies as text in that format. The format cannot express a tab in a name, value or path, and has
    /// no place for ``Cookie/sameSite-swift.property``.
    /// - Parameter leftOut: receives each cookie with a tab in its name, value or path, which the text does not
    ///   contain.
    public func exportText(leftOut: (Cookie) -> Void = { _ in }) -> String {
        let now = Self.now
        let (text, others) = refreshed(now) { store in
            (store.text(now: now), store.cookies.filter { ($0.expires ?? .max) > now && !CookieText.canHold($0) })
        }
        others.forEach(leftOut)
        return text
    }

    /// Writes all cookies to a file in that format. The jar writes another file and renames it. Only its owner can
    /// read it.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - leftOut: receives each cookie with a tab in its name, value or path, which the file does not contain.
    /// - Throws: ``CallError/Kind/file`` if the file cannot be written.
    public func exportFile(_ path: String, leftOut: (Cookie) -> Void = { _ in }) throws(CallError) {
        try CookieFile(path).replace(by: exportText(leftOut: leftOut))
    }

    /// Writes all cookies to the file at a file URL, in that format.
    public func exportFile(_ url: URL, leftOut: (Cookie) -> Void = { _ in }) throws(CallError) {
        try exportFile(try url.filePath(), leftOut: leftOut)
    }
}
