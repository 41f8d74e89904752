// PartialPath: where a file is written until it is whole.
#if Tool

enum PartialPath {
    /// Another name in the same folder, so that renaming it replaces the file at once. Hidden, short whatever the file's own
    /// name is, and nobody else's: neither of a run that was killed, nor of another one of this process.
    static func beside(_ target: String) -> String {
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        return "\(folder).tsubame-\(random).part"
    }
}

#endif
