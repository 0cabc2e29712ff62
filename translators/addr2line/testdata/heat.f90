module grid
  implicit none
  type :: cell
     real(8) :: t
   contains
     procedure :: warm => cell_warm
  end type
contains
  subroutine cell_warm(self, by)
    class(cell), intent(inout) :: self
    real(8), intent(in) :: by
    self%t = self%t + by
  end subroutine
  function energy(n) result(e)
    integer, intent(in) :: n
    real(8) :: e
    integer :: i
    e = 0
    do i = 1, n
       e = e + part(i)
    end do
  contains
    function part(k) result(p)
      integer, intent(in) :: k
      real(8) :: p
      p = sqrt(real(k, 8)) * mod(k, 7)
    end function
  end function
end module

subroutine outside(x)
  real(8), intent(inout) :: x
  x = x * 0.5d0 + sin(x)
end subroutine

program heat
  use grid
  type(cell) :: c
  real(8) :: x
  integer :: n
  n = command_argument_count() + 1000
  c%t = 1
  call c%warm(energy(n))
  x = c%t
  call outside(x)
  print *, x
end program
