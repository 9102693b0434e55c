//! Prints which library is linked, its devices and the size of its manifest.
fn main() -> tilewright::Result<()> {
    let (major, minor, patch) = tilewright::version();
    println!("tilewright {major}.{minor}.{patch}, {:?}", tilewright::target());
    for number in 0..tilewright::device_count()? {
        println!("device {number}: {:?}", tilewright::device(number as i32)?);
    }
    println!("manifest: {} bytes", tilewright::manifest().len());
    Ok(())
}
