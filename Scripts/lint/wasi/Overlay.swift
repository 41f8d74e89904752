// Declarations of Swift's own module of WASI's C library that the headers do not have.

public var errno: Int32 {
    get { 0 }
    set {}
}
